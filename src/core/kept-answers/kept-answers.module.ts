import { defineModule } from '../module.ts'
import { createKeptPages, type KeptPages } from './kept-pages.ts'

declare module '../module.ts' {
  interface Services {
    readonly keptPages: KeptPages
  }
}

/** Answers that other modules keep until the next commit to the database. */
export const module = defineModule({
  name: 'kept-answers',
  needs: [],
  create: ({ database, site }) => ({ services: { keptPages: createKeptPages(database.read, site.rootUrl) } }),
})
