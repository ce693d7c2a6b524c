export { Label as LabelModel } from './label.model.ts'
export { presentLabel } from './label.present.ts'
export {
  addToLabelCounters,
  insertLabels,
  type Label,
  listLabelsByIds,
  listUsableLabels,
  subtractOrgLabels,
  toLabel,
} from './label.store.ts'
export { exclusiveScope, readColor } from './labels.policy.ts'
export { labelCounters, recountLabels } from './label-counters.store.ts'
