export { type PullDiffs, spanOf } from './pull-diffs.service.ts'
export type { ReviewDiffs } from './review-diffs.ts'
export { applySuggestions, findSuggestions, type LineEdit } from './suggestions.ts'
