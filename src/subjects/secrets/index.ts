export { type ActionsOwner, lockOwner, ownerColumns } from './actions-owner.store.ts'
export { type Level, operationsOfLevels } from './levels.ts'
export { MAX_VALUE_LENGTH, requireName, readName, readDescription, requireRoom } from './settings.policy.ts'
