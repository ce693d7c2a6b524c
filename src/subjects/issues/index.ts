export type { Issues } from './issues.service.ts'
