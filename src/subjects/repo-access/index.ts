export type { KeyTarget, KeyTargets } from './key-targets.service.ts'
export type { WebAccess } from './web-access.service.ts'
