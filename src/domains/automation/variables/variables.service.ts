import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { EventOrigin } from '../../../core/events/index.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type ActionsOwner, lockOwner, ownerColumns } from '../secrets/secret.store.ts'
import { MAX_VALUE_LENGTH, readDescription, readName, requireName, requireRoom } from '../secrets/settings.policy.ts'
import {
  countVariables,
  deleteVariable,
  findVariable,
  insertVariable,
  listVariables,
  listVariablesInForce,
  updateVariable,
  type Variable,
} from './variable.store.ts'

interface VariableInput {
  /** Case-insensitive; stored in upper case. */
  readonly name: string
  readonly value: string
  readonly description: string
}

type VariableDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type ActionsVariables = ReturnType<typeof createVariables>

/** Variables of Actions, visible to all accounts that may read them (behaviour/actions#variables). */
export function createVariables({ database, clock, events }: VariableDeps) {
  return {
    /** Sorted by name. */
    list: (owner: ActionsOwner, paging: Paging): Promise<Page<Variable>> => listVariables(database.read, owner, paging),
    /** Throws NotFound. */
    get: (owner: ActionsOwner, name: string): Promise<Variable> => getVariable(database.read, owner, name),

    /**
     * Throws BadRequest for a bad name or a value of more than 65536 characters, Conflict for a duplicate name, Invalid
     * when the owner has too many.
     */
    async create(actor: Actor, owner: ActionsOwner, input: VariableInput): Promise<Variable> {
      const values = readInput(input)
      return database.transaction(async (tx) => {
        await lockOwner(tx, owner)
        await requireFree(tx, owner, values.name)
        requireRoom('variables', await countVariables(tx, owner))
        const at = clock.now()
        await insertVariable(tx, { ...ownerColumns(owner), ...values, created_at: at, updated_at: at })
        await events.append(tx, 'variable.created', originOf(actor, owner, at), payloadOf(owner, values.name))
        return getVariable(tx, owner, values.name)
      })
    },

    /**
     * Replaces the variable `name` by the input, which may rename it. Throws NotFound, and BadRequest and Conflict as
     * `create`.
     */
    async edit(actor: Actor, owner: ActionsOwner, name: string, input: VariableInput): Promise<void> {
      await database.transaction(async (tx) => {
        await lockOwner(tx, owner)
        const before = await getVariable(tx, owner, name)
        const values = readInput(input)
        if (values.name !== before.name) await requireFree(tx, owner, values.name)
        const at = clock.now()
        await updateVariable(tx, before.id, { ...values, updated_at: at })
        const payload = { ...payloadOf(owner, values.name), old_name: before.name }
        await events.append(tx, 'variable.edited', originOf(actor, owner, at), payload)
      })
    },

    /** Throws NotFound. */
    async delete(actor: Actor, owner: ActionsOwner, name: string): Promise<void> {
      await database.transaction(async (tx) => {
        await lockOwner(tx, owner)
        const variable = await getVariable(tx, owner, name)
        await deleteVariable(tx, variable.id)
        const origin = originOf(actor, owner, clock.now())
        await events.append(tx, 'variable.deleted', origin, payloadOf(owner, variable.name))
      })
    },

    /** Values by name for a run in a repository: its own variables, and those of its owner with other names. */
    async loadFor({
      id: repoId,
      ownerId,
    }: {
      readonly id: RepoId
      readonly ownerId: UserId
    }): Promise<ReadonlyMap<string, string>> {
      const all = await listVariablesInForce(database.read, { repoId, ownerId })
      const inOrder = all.toSorted((a, b) => Number('repoId' in a.owner) - Number('repoId' in b.owner))
      return new Map(inOrder.map(({ name, value }) => [name, value]))
    },
  }
}

/** Throws NotFound also for an invalid name. */
async function getVariable(db: Db, owner: ActionsOwner, text: string): Promise<Variable> {
  const name = readName(text)
  const variable = name === undefined ? undefined : await findVariable(db, owner, name)
  if (variable === undefined) throw errors.variableNotFound()
  return variable
}

async function requireFree(db: Db, owner: ActionsOwner, name: string): Promise<void> {
  if ((await findVariable(db, owner, name)) !== undefined) throw errors.variableExists(name)
}

function readInput({ name, value: text, description }: VariableInput): VariableInput {
  const value = text.replaceAll('\r\n', '\n')
  const isLonger = value.length > 2 * MAX_VALUE_LENGTH || [...value].length > MAX_VALUE_LENGTH
  if (isLonger) throw errors.valueTooLong()
  return { name: requireName(name), value, description: readDescription(description) }
}

const originOf = (actor: Actor, owner: ActionsOwner, at: number): EventOrigin => ({
  actor,
  repoId: 'repoId' in owner ? owner.repoId : 0,
  at,
})

const payloadOf = (owner: ActionsOwner, name: string) => ({
  repo_id: 'repoId' in owner ? owner.repoId : 0,
  owner_id: 'ownerId' in owner ? owner.ownerId : 0,
  name,
})
