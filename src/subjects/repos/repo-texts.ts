import { presentablePermissions } from '../../access/repo-access.ts'
import { type JsonText, jsonArray } from '../../http/answer/json-text.ts'
import type { Site } from '../../platform/site.ts'
import { presentRepo } from './repo.present.ts'
import type { Repo } from './repo.store.ts'
import type { RepoView } from './views.ts'

/** Repositories as JSON. */
export interface RepoTexts {
  of(view: RepoView): string
  list(views: readonly RepoView[]): JsonText
}

interface Written {
  /** All that the text depends on beside the entity: the addresses of the site and the permissions of the viewer. */
  readonly context: string
  readonly text: string
}

/**
 * Presenting fifty repositories and writing them as JSON takes longer than reading their rows. The text is kept as long
 * as the entity, which the store reads again after every commit of any process (`db/remembered.ts`).
 */
export function createRepoTexts(site: Site): RepoTexts {
  const written = new WeakMap<Repo, Written>()
  const textOf = (view: RepoView): string => {
    const { repo, parent, transfer, mirror } = view
    const write = (): string => JSON.stringify(presentRepo(view, site))
    if (parent !== undefined || transfer !== undefined || mirror !== undefined) return write()
    const { admin, push, pull } = presentablePermissions(view.access)
    const context = `${admin} ${push} ${pull} ${site.sshPrefix()} ${site.rootUrl()}`
    const known = written.get(repo)
    if (known?.context === context) return known.text
    const text = write()
    written.set(repo, { context, text })
    return text
  }
  return { of: textOf, list: (views) => jsonArray(views.map(textOf)) }
}
