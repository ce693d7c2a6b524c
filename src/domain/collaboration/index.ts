export { createCollaboration, type Collaboration } from './collaboration.service.ts'
