import { defineSubject } from '../subject.ts'
import { templateOperations } from './templates.operations.ts'

/** Ignore files, licences and label sets that new repositories can start with. */
export const subject = defineSubject({
  name: 'templates',
  needs: [],
  create: ({ site }) => ({ operations: templateOperations({ site }) }),
})
