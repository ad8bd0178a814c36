//! The tests of a mode's vectors by traits: in one part and in two, there and back, and with a forged tag.

use super::traits::Role;
use super::Messages;

impl Messages<'_> {
    /// The test of the traits that the type has, in which placeholders are those of the tests of messages.
    pub(super) fn trait_tests(&self) -> String {
        match self.role() {
            None => String::new(),
            Some(Role::Digest(key)) => {
                let begun = if key.is_some() { KEYED } else { "$T::default()" };
                let ends = match (self.of.mode.squeeze(), key) {
                    (Some(_), _) => READ,
                    (None, Some(_)) => VERIFIED,
                    (None, None) => DIGESTED,
                };
                let more = (2 * self.of.mode.output_bytes() + 1).to_string();
                let text = PARTS.replace("$begun", begun).replace("$ends", ends);
                text.replace("$more", &more)
            }
            Some(Role::Aead { key, .. }) => SEALED.replace("$first", &key.size.to_string()),
        }
    }
}

const KEYED: &str = "<$T as digest::KeyInit>::new_from_slice(inputs).unwrap()";

const PARTS: &str = "
#[cfg(feature = \"digest\")]
#[test]
fn traits_give_the_results_of_parts() {
    for (inputs, [message], times, output) in MESSAGES {
        let _ = inputs;
        let begun = $begun;
        let (mut one, mut two) = (begun.clone(), begun);
        let (first, rest) = message.split_at(message.len() / 2);
        for _ in 0..*times {
            digest::Update::update(&mut one, message);
            digest::Update::update(&mut two, first);
            digest::Update::update(&mut two, rest);
        }
$ends    }
}
";

const DIGESTED: &str = "        assert_eq!(digest::Digest::finalize(one)[..], **output);
        assert_eq!(digest::Digest::finalize_reset(&mut two)[..], **output);
        assert_eq!(digest::Digest::finalize(two), <$T as digest::Digest>::digest(b\"\"));
";

const VERIFIED: &str = "        let mut code = output.to_vec();
        assert!(digest::Mac::verify_slice(one, &code).is_ok());
        assert!(digest::Mac::verify_slice(two.clone(), &code).is_ok());
        code[0] ^= 1;
        assert!(digest::Mac::verify_slice(two, &code).is_err());
";

const READ: &str =
    "        let [mut out, mut parts] = [0, 0].map(|byte| std::vec![byte; output.len() + $more]);
        let mut reader = digest::ExtendableOutput::finalize_xof(one);
        digest::XofReader::read(&mut reader, &mut out);
        assert_eq!(out[..output.len()], **output);
        let mut reader = digest::ExtendableOutput::finalize_xof(two);
        let (mut from, mut size) = (0, 0);
        while from < parts.len() {
            let end = parts.len().min(from + size);
            digest::XofReader::read(&mut reader, &mut parts[from..end]);
            (from, size) = (end, size + 1);
        }
        assert_eq!(parts, out);
        if *times == 1 {
            whole($takes(Variant::chosen()), &mut parts$inputs, message);
            assert_eq!(parts, out);
        }
";

const SEALED: &str = "
#[cfg(feature = \"aead\")]
#[test]
fn traits_seal_and_open_texts() {
    use aead::{AeadInOut, KeyInit};
    for (inputs, [data, text], _, output) in MESSAGES {
        let (key, nonce) = inputs.split_at($first);
        let (cipher, nonce) = (traits::$T::new_from_slice(key).unwrap(), nonce.try_into().unwrap());
        let (sealed, tag) = output.split_at(text.len());
        let mut own = text.to_vec();
        let mut made = cipher.encrypt_inout_detached(nonce, data, own.as_mut_slice().into()).unwrap();
        assert_eq!((&own[..], &made[..]), (sealed, tag));
        cipher.decrypt_inout_detached(nonce, data, own.as_mut_slice().into(), &made).unwrap();
        assert_eq!(own, *text);
        made[0] ^= 1;
        let both = aead::inout::InOutBuf::new(sealed, &mut own).unwrap();
        assert!(cipher.decrypt_inout_detached(nonce, data, both, &made).is_err());
        assert!(own.iter().all(|byte| *byte == 0));
    }
}
";
