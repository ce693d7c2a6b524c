export { backUp } from './backup.ts'
