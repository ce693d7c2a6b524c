import { defineModule } from '../../../core/module.ts'
import { templateOperations } from './templates.operations.ts'

/** Ignore files, licences and label sets for new repositories. */
export const module = defineModule({
  name: 'templates',
  needs: [],
  create: ({ site }) => ({ operations: templateOperations({ site }) }),
})
