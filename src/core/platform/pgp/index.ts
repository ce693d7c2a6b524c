export { joinArmoredKeys, type PgpKey, readPgpKeys } from './keys.ts'
export { PgpError } from './library.ts'
export { loadPgpSigner } from './signer.ts'
export { readSignatureKeyIds, verifyPgpSignature } from './signatures.ts'
