export type { Tags } from './tags.service.ts'
export { type NewTagInput, ProtectedTagError } from './write-tag.ts'
