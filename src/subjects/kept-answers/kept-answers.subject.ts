import { defineSubject } from '../subject.ts'
import { createKeptPages, type KeptPages } from './kept-pages.ts'

declare module '../subject.ts' {
  interface Services {
    readonly keptPages: KeptPages
  }
}

/** Answers that other subjects keep until the next commit to the database. */
export const subject = defineSubject({
  name: 'kept-answers',
  needs: [],
  create: ({ database, site }) => ({ services: { keptPages: createKeptPages(database.read, site.rootUrl) } }),
})
