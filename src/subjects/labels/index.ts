export { insertLabels } from './label.store.ts'
export { readColor } from './labels.policy.ts'
