export { joinArmoredKeys, readPgpKeys, type PgpComponent, type PgpKey } from './keys.ts'
export { PgpError } from './library.ts'
export { readSignatureKeyIds, verifyPgpSignature, type DetachedSignature } from './signatures.ts'
