import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../events/index.ts'

const Id = Type.Integer()
const OfPull = { repo_id: Id, issue_id: Id, number: Id, pull_id: Id }

/** Creating, closing, editing and planning a pull request are events of its issue, which have `is_pull`. */
export const pullEvents = {
  /** The base is another branch. */
  'pull.retargeted': Type.Object({ ...OfPull, old_base: Type.String(), new_base: Type.String() }),
  /** The head has other commits: `refs/pull/{number}/head` moved. */
  'pull.synchronized': Type.Object({
    ...OfPull,
    old_oid: Type.String(),
    new_oid: Type.String(),
    is_force_push: Type.Boolean(),
  }),
}

declare module '../../events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof pullEvents> {}
}
