export { presentAuditEntry } from './audit.present.ts'
