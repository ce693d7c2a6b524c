export { answerSigningKey, signingKeyAnswer } from './signing.operations.ts'
export { appendTrailers, type CommitSigner, signedBy, writeCommit, writeTag } from './signing.ts'
