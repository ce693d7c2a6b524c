export { registerLfs } from './lfs.routes.ts'
