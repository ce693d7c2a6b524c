import { defineModule } from '../../../core/module.ts'
import { templateOperations } from './templates.operations.ts'

/** Ignore files, licences and label sets that new repositories can start with. */
export const module = defineModule({
  name: 'templates',
  needs: [],
  create: ({ site }) => ({ operations: templateOperations({ site }) }),
})
