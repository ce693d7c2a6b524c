export { loadCommitSigner, signedBy, writeCommit, writeTag, type CommitSigner } from './signing.ts'
