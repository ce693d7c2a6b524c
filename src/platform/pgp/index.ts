export { joinArmoredKeys, readPgpKeys, type PgpComponent, type PgpKey } from './keys.ts'
export { PgpError } from './library.ts'
export { loadPgpSigner, type PgpSigner } from './signer.ts'
export { readSignatureKeyIds, verifyPgpSignature, type DetachedSignature } from './signatures.ts'
