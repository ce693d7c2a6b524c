export { registerUserFiles, type UserFileDeps } from './user-files.routes.ts'
