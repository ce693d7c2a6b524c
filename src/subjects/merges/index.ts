export { loadMergeRights } from './rules/load-merge-facts.ts'
