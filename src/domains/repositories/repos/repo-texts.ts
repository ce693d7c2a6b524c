import { presentablePermissions } from '../../../core/access/repo-access.ts'
import type { JsonBytes, JsonText } from '../../../core/http/answer/json-text.ts'
import { KeptTexts } from '../../../core/http/answer/kept-texts.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentRepo } from './repo.present.ts'
import type { Repo } from './repo.store.ts'
import type { RepoView } from './views.ts'

/** Repositories as JSON. */
export type RepoTexts = ReturnType<typeof createRepoTexts>

/** Presenting fifty repositories and writing them as JSON takes longer than reading their rows. */
export function createRepoTexts(site: Site) {
  const kept = new KeptTexts<Repo>()
  const textOf = (view: RepoView): string => {
    const { repo, parent, transfer, mirror } = view
    const write = (): string => JSON.stringify(presentRepo(view, site))
    if (parent !== undefined || transfer !== undefined || mirror !== undefined) return write()
    const { admin, push, pull } = presentablePermissions(view.access)
    return kept.one(repo, `${admin} ${push} ${pull} ${site.sshPrefix()} ${site.rootUrl()}`, write)
  }
  return {
    of: textOf,
    list: (views: readonly RepoView[]): JsonBytes | JsonText => kept.list(views[0]?.repo, views.map(textOf)),
    /** `{ok, data}`. */
    results: (views: readonly RepoView[]): JsonBytes | JsonText =>
      kept.list(views[0]?.repo, views.map(textOf), { isWrapped: true }),
  }
}
