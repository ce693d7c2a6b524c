export { answerSigningKey, signingKeyAnswer } from './signing.operations.ts'
export { type CommitSigner, signedBy, writeCommit, writeTag } from './signing.ts'
