export { joinArmoredKeys, type PgpKey, readPgpKeys, loadPgpSigner } from './keys.ts'
export { PgpError } from './library.ts'
export { readSignatureKeyIds, verifyPgpSignature } from './signatures.ts'
