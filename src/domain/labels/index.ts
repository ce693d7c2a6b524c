export type { Label, LabelOwner, LabelSort } from '../../db/stores/label.store.ts'
export { createLabels, type LabelChange, type Labels, type NewLabel } from './labels.service.ts'
export { labelCopier } from './copy-labels.ts'
