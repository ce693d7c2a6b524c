export { createPushes, type PushDeps, type Pushes } from './accept-push.ts'
export { recordPush, type RefChange } from './record-push.ts'
