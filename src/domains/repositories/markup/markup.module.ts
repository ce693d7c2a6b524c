import { defineModule } from '../../../core/module.ts'
import { markupOperations } from './markup.operations.ts'
import { createMarkup, type Markup } from './markup.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly markup: Markup
  }
}

/** Rendering of markdown and other texts to HTML. */
export const module = defineModule({
  name: 'markup',
  needs: [],
  create({ database, site, taskPool }) {
    const markup = createMarkup({ database, taskPool, rootUrl: site.rootUrl })
    return { services: { markup }, operations: markupOperations({ markup }) }
  },
})
