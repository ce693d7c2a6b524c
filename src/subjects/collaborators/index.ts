export { deleteCollaborationsOf, findCollaborationMode, upsertCollaboration } from './collaboration.store.ts'
export { updateDeployKeyUse } from './deploy-key.store.ts'
