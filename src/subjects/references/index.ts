export { applyMergeKeywords, listClosedByMerge } from './closing-references.ts'
