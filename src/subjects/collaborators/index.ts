export { deleteCollaborationsOf, findCollaborationMode, upsertCollaboration } from './collaboration.store.ts'
export { updateDeployKeyUse } from './deploy-keys/deploy-key.store.ts'
export { lostAccessProjections } from './lost-access.projection.ts'
