export type { Branches } from './branches/branches.service.ts'
export type { Tags } from './tags/tags.service.ts'
export { type NewTagInput, ProtectedTagError } from './tags/write-tag.ts'
