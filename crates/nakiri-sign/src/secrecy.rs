//! What is made of secrets and yet public. Memcheck, a tool of Valgrind, takes secrets for undefined in a test below, and reports each
//! branch and each address that depends on them, until they become public.

/// Says that bytes are public from here on, because they are in a signature or a public key, or can be computed of one.
#[inline(always)]
pub fn declassify(bytes: &[u8]) {
    #[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
    memcheck::request(memcheck::MAKE_DEFINED, bytes);
    let _ = bytes;
}

/// Requests to Valgrind, which do nothing outside of it (`valgrind.h`, `memcheck.h`).
#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod memcheck {
    /// Whether this runs under Valgrind.
    pub const RUNNING: u64 = 0x1001;
    pub const MAKE_UNDEFINED: u64 = MEMCHECK + 1;
    pub const MAKE_DEFINED: u64 = MEMCHECK + 2;
    const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;

    /// A request about bytes; 0 if nobody answers.
    pub fn request(what: u64, bytes: &[u8]) -> u64 {
        let arguments = [what, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0];
        let mut answer = 0_u64;
        // SAFETY: rotations by 64 bits in all and an exchange of a register with itself change nothing; Valgrind, which knows them,
        // reads the arguments and sets the answer.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") arguments.as_ptr(), inout("rdx") answer, inout("rdi") 0_u64 => _,
            );
        }
        answer
    }
}

#[cfg(all(test, target_arch = "x86_64", target_os = "linux"))]
mod tests {
    use super::memcheck;
    use crate::slh::{Message, Randomness, Set, SigningKey, VerifyingKey};
    use crate::stateful::{Scheme, Trees};
    use crate::{lms, xmss, Engine};
    use std::process::Command;

    /// Bytes that nobody may branch on.
    fn secret(bytes: usize) -> Vec<u8> {
        let secret: Vec<u8> = (0..bytes).map(|k| (k * 37 + 11) as u8).collect();
        memcheck::request(memcheck::MAKE_UNDEFINED, &secret);
        secret
    }

    /// Does the work of a test under memcheck, in a process of its own; whether nothing was reported. Nothing where there is no
    /// Valgrind, and in that process itself.
    fn is_clean(test: &str, work: impl Fn()) -> Option<bool> {
        if memcheck::request(memcheck::RUNNING, &[]) != 0 {
            work();
            return None;
        }
        let test = format!("{}::{test}", module_path!().split_once("::")?.1);
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--error-exitcode=9"]).arg(std::env::current_exe().ok()?);
        let Ok(done) = command.args(["--exact", &test, "--test-threads=1"]).output() else {
            eprintln!("not tested: on Debian, apt-get install valgrind");
            return None;
        };
        let told = String::from_utf8_lossy(&done.stdout);
        assert!(told.contains("test result: ok. 1 passed"), "{test}: {told}");
        match done.status.code() {
            Some(9) => eprintln!("{}", String::from_utf8_lossy(&done.stderr)),
            code => assert_eq!(code, Some(0), "{told}"),
        }
        Some(done.status.success())
    }

    /// By kernels that Valgrind knows, which are those without registers of 512 bits: by so many, by all with `NAKIRI_FULL=1`.
    fn by_engines(count: usize, work: impl Fn(&Engine)) {
        let names = Engine::names();
        assert!(names.contains(&"gp64") && !names.contains(&"avx512"), "{names:?}");
        let count = if is_full() { names.len() } else { count };
        names.into_iter().take(count).filter_map(Engine::named).for_each(|engine| work(&engine));
    }

    fn is_full() -> bool {
        std::env::var_os("NAKIRI_FULL").is_some()
    }

    fn slh(name: &str) -> impl Fn(&Engine) {
        let set = Set::named(name).expect("a set");
        move |engine: &Engine| {
            let seeds = [secret(2 * set.n), vec![3; set.n]].concat();
            let key = SigningKey::from_seeds(set, &seeds, engine).expect("seeds");
            let (message, random) = (Message::new(b"m"), secret(set.n));
            let signature = key.sign(&message, Randomness::Given(&random), engine);
            let signature = signature.expect("a signature");
            assert!(key.verifying_key().verify(&message, &signature, engine), "{}", set.name);
        }
    }

    fn hss(name: &str) -> impl Fn(&Engine) {
        let Some(Scheme::Hss(layers)) = Scheme::named(name) else { panic!("{name}") };
        move |engine: &Engine| {
            let secrets = [secret(layers[0].0.n), vec![3; 16]].concat();
            let (private, mut trees) = (lms::Private::new(&layers, &secrets), Trees::default());
            let public = lms::VerifyingKey::from_bytes(&private.public(&mut trees, engine));
            let signature = private.sign(&mut trees, 9, b"m", engine);
            assert!(public.expect("a key").verify(b"m", &signature, engine));
        }
    }

    fn xmss(name: &str) -> impl Fn(&Engine) {
        let set = xmss::Set::named(name).expect("a set");
        move |engine: &Engine| {
            let secrets = [secret(2 * set.n), vec![3; set.n]].concat();
            let (private, mut trees) = (xmss::Private::new(set, &secrets), Trees::default());
            let public = private.public(&mut trees, engine);
            let public = xmss::VerifyingKey::from_bytes(set.multi, &public).expect("a key");
            let signature = private.sign(&mut trees, 9, b"m", engine);
            assert!(public.verify(b"m", &signature, engine), "{}", set.name());
        }
    }

    #[test]
    fn slh_dsa_decides_nothing_by_secrets() {
        let sets = ["SHA2-128f", "SHAKE-128f", "SHA2-192f"];
        let work = || sets[..2 + usize::from(is_full())].iter().for_each(|s| by_engines(2, slh(s)));
        assert_ne!(is_clean("slh_dsa_decides_nothing_by_secrets", work), Some(false));
    }

    #[test]
    fn lms_decides_nothing_by_secrets() {
        let names = ["LMS-SHA256_H5_W4", "HSS-SHAKE256-192_H5_W4/H5_W2"];
        let work = || names.iter().for_each(|name| by_engines(1, hss(name)));
        assert_ne!(is_clean("lms_decides_nothing_by_secrets", work), Some(false));
    }

    #[test]
    fn xmss_decides_nothing_by_secrets() {
        let names = ["XMSSMT-SHA2_20/4_256", "XMSSMT-SHAKE256_20/4_192"];
        let work =
            || names[..1 + usize::from(is_full())].iter().for_each(|s| by_engines(1, xmss(s)));
        assert_ne!(is_clean("xmss_decides_nothing_by_secrets", work), Some(false));
    }

    /// What is found if something is decided by a secret.
    #[test]
    fn a_decision_by_a_secret_is_reported() {
        let work = || {
            let set = Set::named("SHA2-128f").expect("a set");
            let key = VerifyingKey::from_bytes(set, &vec![3; set.public_bytes()]).expect("a key");
            let signature = secret(set.signature_bytes());
            key.verify(&Message::new(b"m"), &signature, &Engine::default());
        };
        assert_ne!(is_clean("a_decision_by_a_secret_is_reported", work), Some(true));
    }
}
