import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import { flag } from '../../../core/db/flag.ts'
import type { EventOrigin } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { engineErrors, invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { asId, type LabelId } from '../../../core/platform/crypto/ids.ts'
import { type Page, type Paging, parseInteger } from '../../../core/platform/paging.ts'
import type { TemplateCopier } from '../../repositories/index.ts'
import {
  copyLabels,
  deleteLabel,
  findLabel,
  findLabelByName,
  insertLabel,
  type Label,
  type LabelOwner,
  type LabelSort,
  listLabels,
  updateLabel,
} from './label.store.ts'
import { readColor } from './labels.policy.ts'

interface NewLabel {
  readonly name: string
  /** Three or six hexadecimal digits, with or without `#`. */
  readonly color: string
  readonly description?: string | undefined
  readonly isExclusive?: boolean | undefined
  readonly isArchived?: boolean | undefined
}

/** Absent members are unchanged. */
export type LabelChange = { readonly [Member in keyof NewLabel]?: NewLabel[Member] | undefined }

type LabelDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Labels = ReturnType<typeof createLabels>

/** Labels of repositories and of organizations (behaviour/issues#labels). */
export function createLabels({ database, clock, events }: LabelDeps) {
  return {
    list: (owner: LabelOwner, options: { readonly sort: LabelSort; readonly paging: Paging }): Promise<Page<Label>> =>
      listLabels(database.read, owner, options),

    /** Looks up by id, then by name. Throws NotFound, also if the label has another owner. */
    async get(owner: LabelOwner, idOrName: string): Promise<Label> {
      const byId = await findLabel(database.read, owner, asId(parseInteger(idOrName)))
      return byId ?? requireLabel(await findLabelByName(database.read, owner, idOrName))
    },

    /** Names need not be unique. Throws Invalid for an empty name or a bad colour. */
    async create(
      actor: Actor,
      owner: LabelOwner,
      { name, color, description = '', isExclusive = false, isArchived = false }: NewLabel,
    ): Promise<Label> {
      const at = clock.now()
      const values = {
        name: requireName(name),
        color: requireColor(color),
        description,
        is_exclusive: flag(isExclusive),
        archived_at: isArchived ? at : 0,
      }
      return database.transaction(async (tx) => {
        const label = await insertLabel(tx, owner, values, at)
        await events.append(tx, 'label.created', originOf(actor, owner, at), payloadOf(owner, label))
        return label
      })
    },

    /** Throws NotFound, and Invalid as `create`. */
    edit: (
      actor: Actor,
      owner: LabelOwner,
      id: LabelId,
      { name, color, description, isExclusive, isArchived }: LabelChange,
    ): Promise<Label> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        const before = requireLabel(await findLabel(tx, owner, id))
        await updateLabel(tx, id, {
          ...(name !== undefined && { name: requireName(name) }),
          ...(color !== undefined && { color: requireColor(color) }),
          ...(description !== undefined && { description }),
          ...(isExclusive !== undefined && { is_exclusive: flag(isExclusive) }),
          ...(isArchived !== undefined && { archived_at: isArchived ? (before.archivedAt ?? at) : 0 }),
          updated_at: at,
        })
        const label = requireLabel(await findLabel(tx, owner, id))
        await events.append(tx, 'label.edited', originOf(actor, owner, at), payloadOf(owner, label))
        return label
      }),

    /** Does nothing if the owner does not have this label. */
    delete: (actor: Actor, owner: LabelOwner, id: LabelId): Promise<void> =>
      database.transaction(async (tx) => {
        const label = await findLabel(tx, owner, id)
        if (label === undefined) return
        await deleteLabel(tx, id)
        await events.append(tx, 'label.deleted', originOf(actor, owner, clock.now()), payloadOf(owner, label))
      }),
  }
}

/** Copies the labels of a template to the repositories generated from it. */
export const createLabelCopier = (clock: Clock): TemplateCopier => ({
  item: 'labels',
  copy: (tx, { template, repoId }) => copyLabels(tx, template.id, repoId, clock.now()),
})

function requireLabel(label: Label | undefined): Label {
  if (label === undefined) throw errors.labelNotFound()
  return label
}

function requireName(name: string): string {
  if (name.trim() === '') throw engineErrors.fieldRequired('Name')
  return name
}

function requireColor(text: string): string {
  const color = readColor(text)
  if (color === undefined) throw invalid(`invalid color: ${text}`)
  return color
}

const originOf = (actor: Actor, owner: LabelOwner, at: number): EventOrigin => ({
  actor,
  repoId: 'repoId' in owner ? owner.repoId : 0,
  at,
})

const payloadOf = (owner: LabelOwner, { id, name }: Label) => ({
  repo_id: 0,
  org_id: 0,
  ...('repoId' in owner ? { repo_id: owner.repoId } : { org_id: owner.orgId }),
  label_id: id,
  name,
})
