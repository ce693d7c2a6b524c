export { importServer, type ServerImportOptions } from './server-import/server-import.ts'
export type { Report } from './server-import/report.ts'
export { verifyServer } from './server-import/verify-server.ts'
