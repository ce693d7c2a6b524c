export { type AttributesFile, compilePattern } from './attributes.ts'
export { copyRepoLanguages } from './language.store.ts'
