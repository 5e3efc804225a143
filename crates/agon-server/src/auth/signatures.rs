//! Signatures of bearer tokens, verified by ring, the library that TLS uses too.
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature;
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
    VerificationAlgorithm,
};

/// Verifies RS256, ES256 and EdDSA by public keys. It signs nothing, and supports no other algorithm.
static RING: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| unsupported(),
        rsa_pub_components_from_public_key: |_| unsupported(),
        ec_pub_components_from_private_key: |_, _| unsupported(),
        ed_pub_components_from_private_key: |_, _| unsupported(),
        compute_digest: |_, _| unsupported(),
    },
};

/// Makes ring the library that verifies tokens in this process.
pub(super) fn use_ring() {
    // Refused where it is installed already, which is as good.
    let _ = RING.install_default();
}

fn unsupported<T>() -> Result<T, Error> {
    Err(ErrorKind::UnsupportedAlgorithm.into())
}

/// A big-endian number without leading zeros, which some providers write and ring refuses.
fn trimmed(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}

fn signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    unsupported()
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let family = match algorithm {
        Algorithm::RS256 => AlgorithmFamily::Rsa,
        Algorithm::ES256 => AlgorithmFamily::Ec,
        Algorithm::EdDSA => AlgorithmFamily::Ed,
        _ => return unsupported(),
    };
    if key.family() != family {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Signature { algorithm: *algorithm, key: key.clone() }))
}

/// A public key, and the algorithm that it is used with.
struct Signature {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl signature::Verifier<Vec<u8>> for Signature {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let plain = |algorithm: &'static dyn VerificationAlgorithm, key: &[u8]| {
            UnparsedPublicKey::new(algorithm, key).verify(message, signature)
        };
        let verified = match (self.algorithm, self.key.kind()) {
            (Algorithm::RS256, DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let key = RsaPublicKeyComponents { n: trimmed(n), e: trimmed(e) };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Algorithm::ES256, DecodingKeyKind::SecretOrDer(key)) => plain(&ECDSA_P256_SHA256_FIXED, key),
            (Algorithm::EdDSA, DecodingKeyKind::SecretOrDer(key)) => plain(&ED25519, key),
            (_, DecodingKeyKind::RsaModulusExponent { .. } | DecodingKeyKind::SecretOrDer(_)) => {
                return Err(signature::Error::new());
            }
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Signature {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
