import type { Viewer } from '../../../core/access/viewer.ts'
import type { JsonBytes, JsonText } from '../../../core/http/answer/json-text.ts'
import { KeptTexts } from '../../../core/http/answer/kept-texts.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentFor, sightOf } from './user.present.ts'
import type { User } from './user.store.ts'

/** Users as JSON, as `presentUser` makes them. */
export type UserTexts = ReturnType<typeof createUserTexts>

/** Presenting fifty users and writing them as JSON takes longer than reading their rows. */
export function createUserTexts(site: Site) {
  const kept = new KeptTexts<User>()
  const write = (users: readonly User[], viewer: Viewer, isWrapped: boolean): JsonBytes | JsonText => {
    const rootUrl = site.rootUrl()
    const texts = users.map((user) => {
      const sight = sightOf(user, viewer)
      const context = `${sight.inside} ${sight.showEmail} ${rootUrl}`
      return kept.one(user, context, () => JSON.stringify(presentFor(user, sight, site)))
    })
    return kept.list(users[0], texts, { isWrapped })
  }
  return {
    list: (users: readonly User[], viewer: Viewer): JsonBytes | JsonText => write(users, viewer, false),
    /** `{ok, data}`. */
    results: (users: readonly User[], viewer: Viewer): JsonBytes | JsonText => write(users, viewer, true),
  }
}
