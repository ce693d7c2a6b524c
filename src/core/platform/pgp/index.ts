export { joinArmoredKeys, type PgpKey, readPgpKeys } from './keys.ts'
export { PgpError } from './library.ts'
export { readSignatureKeyIds, verifyPgpSignature } from './signatures.ts'
export { createPgpKey, loadPgpSigner, type PgpSigner } from './signer.ts'
