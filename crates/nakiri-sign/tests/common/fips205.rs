//! The parameter sets as crate `fips205` has them: its module, our name, and n.

/// Calls a macro with all of them.
macro_rules! every_set {
    ($of_sets:ident) => {
        $of_sets! {
            slh_dsa_sha2_128s "SLH-DSA-SHA2-128s" 16;
            slh_dsa_sha2_128f "SLH-DSA-SHA2-128f" 16;
            slh_dsa_sha2_192s "SLH-DSA-SHA2-192s" 24;
            slh_dsa_sha2_192f "SLH-DSA-SHA2-192f" 24;
            slh_dsa_sha2_256s "SLH-DSA-SHA2-256s" 32;
            slh_dsa_sha2_256f "SLH-DSA-SHA2-256f" 32;
            slh_dsa_shake_128s "SLH-DSA-SHAKE-128s" 16;
            slh_dsa_shake_128f "SLH-DSA-SHAKE-128f" 16;
            slh_dsa_shake_192s "SLH-DSA-SHAKE-192s" 24;
            slh_dsa_shake_192f "SLH-DSA-SHAKE-192f" 24;
            slh_dsa_shake_256s "SLH-DSA-SHAKE-256s" 32;
            slh_dsa_shake_256f "SLH-DSA-SHAKE-256f" 32;
        }
    };
}

pub(crate) use every_set;
