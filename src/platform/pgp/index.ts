export { joinArmoredKeys, type PgpComponent, type PgpKey, readPgpKeys } from './keys.ts'
export { PgpError } from './library.ts'
export { loadPgpSigner, type PgpSigner } from './signer.ts'
export { type DetachedSignature, readSignatureKeyIds, verifyPgpSignature } from './signatures.ts'
