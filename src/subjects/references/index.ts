export { applyMergeKeywords, listClosedByMerge } from './closing-references.ts'
export type { EntryText, TextReferences } from './texts/text-references.ts'
