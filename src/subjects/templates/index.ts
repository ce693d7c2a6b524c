export { labelsOfSet } from './label-sets.ts'
export { licenseTemplates, renderGitignore, renderLicense } from './templates.ts'
