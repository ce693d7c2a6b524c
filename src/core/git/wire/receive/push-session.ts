import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPauses } from '../../../platform/concurrency/pauses.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../platform/files/out-of-space.ts'
import { isDomainError } from '../../../platform/errors.ts'
import type { Quarantine } from '../../disk/quarantine.ts'
import { type ByteSink, LARGE_BAND, SideBand } from '../pkt/pkt-line.ts'
import {
  commandFaults,
  type IncomingPush,
  type PushDecision,
  type PushResult,
  type RefMove,
  type ReceiveRequest,
  type RefCommand,
} from './receive-request.ts'
import { isConnected, losesCommits, isPlainlyConnected } from './quick-connectivity.ts'
import type { PushExchange, ReceivePackOptions } from '../protocol.ts'
import { moveRefs, NO_COMMIT, discard, unpack } from './unpack.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { encodeReport } from './report.ts'
import { findNonCommits } from '../tip-types.ts'
import { WireError } from '../wire-error.ts'

const KEEP_ALIVE_MS = 5000
const MAX_DISCARDED = 4 * 1024 ** 3

export interface PushSessionInput {
  readonly options: ReceivePackOptions
  readonly exchange: PushExchange
  readonly request: ReceiveRequest
  readonly reader: PktReader
  readonly sink: ByteSink
  readonly stateless: boolean
  readonly env: Readonly<Record<string, string>>
}

interface Outcome {
  readonly unpackError?: string
  readonly results: readonly PushResult[]
}

/** One push from its commands to its report. */
export class PushSession {
  readonly #in: PushSessionInput
  readonly #band: SideBand | undefined
  #received = false
  #lastSent = 0

  constructor(input: PushSessionInput) {
    this.#in = input
    if (input.request.capabilities.has('side-band-64k')) this.#band = new SideBand(input.sink, LARGE_BAND)
  }

  async run(): Promise<void> {
    const ticker = setInterval(() => this.#keepAlive(), KEEP_ALIVE_MS)
    try {
      await this.#report(await this.#receiveOrExplain())
    } finally {
      clearInterval(ticker)
    }
  }

  /** A full disk is not the client's fault: it gets a message instead of a closed connection. */
  async #receiveOrExplain(): Promise<Outcome> {
    try {
      return await this.#receive()
    } catch (error) {
      if (!isOutOfSpace(error)) throw error
      const { request, options, reader, stateless } = this.#in
      options.onError(error)
      if (stateless) await discard(reader, MAX_DISCARDED)
      return {
        unpackError: OUT_OF_SPACE,
        results: request.commands.map((command) => refusal(command, 'unpacker error')),
      }
    }
  }

  async #receive(): Promise<Outcome> {
    const { request, exchange, reader, stateless } = this.#in
    const needsPack = request.commands.some((command) => command.kind !== 'delete')
    const quarantine = needsPack ? await exchange.repo.quarantine() : undefined
    try {
      const { error, objects } = quarantine ? await this.#unpack(quarantine) : { objects: 0 }
      if (error !== undefined) {
        if (stateless) await discard(reader, MAX_DISCARDED)
        return { unpackError: error, results: request.commands.map((command) => refusal(command, 'unpacker error')) }
      }
      // Between the check and the ref update, maintenance must not prune objects that the push relies on.
      return { results: await exchange.repo.writing(() => this.#decideAndMove(quarantine, objects)) }
    } finally {
      await quarantine?.discard()
    }
  }

  /**
   * Passes the ends of a shallow client's history, so that unpacking does not miss the objects behind them; the
   * connectivity check does.
   */
  async #shallowEnv({ path }: Quarantine): Promise<Record<string, string>> {
    const { shallow } = this.#in.request
    if (shallow.length === 0) return {}
    const file = join(path, 'shallow')
    await writeFile(file, shallow.map((oid) => `${oid}\n`).join(''))
    return { GIT_SHALLOW_FILE: file }
  }

  async #unpack(quarantine: Quarantine) {
    const { exchange, reader, env, options, request } = this.#in
    return unpack(reader, {
      format: exchange.repo.objectFormat,
      env: { ...env, ...quarantine.env, ...(await this.#shallowEnv(quarantine)) },
      signal: exchange.signal,
      deadlineMs: options.deadlineMs,
      maxBytes: exchange.maxPackBytes,
      onProgress: (chunk) => {
        if (!request.capabilities.has('quiet')) this.#say(chunk)
      },
      onReceived: () => {
        this.#received = true
      },
    })
  }

  async #decideAndMove(quarantine: Quarantine | undefined, objects: number): Promise<readonly PushResult[]> {
    const { request, exchange, options, env } = this.#in
    const git = { env: { ...env, ...quarantine?.env }, signal: exchange.signal, deadlineMs: options.deadlineMs }
    const atomic = request.capabilities.has('atomic')
    const faults = await this.#faults(git, quarantine)
    const good = request.commands.filter((command) => !faults.has(command))
    if (good.length === 0 || (atomic && faults.size > 0)) return this.#results(faults, new Map(), atomic)

    const push: IncomingPush = {
      repo: exchange.repo,
      commands: good,
      pushOptions: request.pushOptions,
      atomic,
      env: quarantine?.env ?? {},
      objects,
      isForced: once((command) =>
        command.kind === 'update' ? losesCommits(command.oldOid, command.newOid, git) : Promise.resolve(false),
      ),
    }
    const decision = await this.#preReceive(push)
    const planned = new Map<RefCommand, readonly RefMove[]>()
    good.forEach((command, index) => {
      const verdict = decision.verdicts[index] ?? { ok: false, reason: 'refused' }
      if (verdict.ok) planned.set(command, verdict.instead ?? ownMoves(command))
      else faults.set(command, verdict.reason)
    })
    for (const line of decision.messages ?? []) this.#say(`${line}\n`)
    if (planned.size === 0 || (atomic && faults.size > 0)) return this.#results(faults, new Map(), atomic)
    if (exchange.signal.aborted) throw new WireError('aborted', 'the client left')
    await quarantine?.migrate()
    await this.#move(planned, faults, atomic)
    const results = this.#results(faults, planned, atomic)
    if (planned.size > 0) await this.#index(objects)
    await this.#postReceive(results, push)
    return results
  }

  /** Commands that fail before the policy is consulted. */
  async #faults(
    git: Parameters<typeof isConnected>[1],
    quarantine: Quarantine | undefined,
  ): Promise<Map<RefCommand, string>> {
    const { request, options, exchange } = this.#in
    const faults = await commandFaults(request.commands, options.reservedRefs)
    const updates = request.commands.filter((command) => command.kind !== 'delete' && !faults.has(command))
    const tips = updates.map((command) => command.newOid)
    const isWhole = request.shallow.length === 0 && (await isPlainlyConnected(exchange.repo, tips, quarantine?.path))
    if (!isWhole && !(await isConnected(tips, git))) {
      const reason = request.shallow.length > 0 ? 'shallow update not allowed' : 'missing necessary objects'
      for (const command of updates) {
        if (updates.length === 1 || !(await isConnected([command.newOid], git))) faults.set(command, reason)
      }
    }
    const branches = updates.filter((command) => command.ref.startsWith('refs/heads/') && !faults.has(command))
    const others = await findNonCommits(
      exchange.repo,
      branches.map((command) => command.newOid),
      quarantine?.path,
      git,
    )
    for (const command of branches) if (others.has(command.newOid)) faults.set(command, NO_COMMIT)
    return faults
  }

  async #preReceive(push: IncomingPush): Promise<PushDecision> {
    try {
      return await this.#in.exchange.policy.preReceive(push)
    } catch (error) {
      this.#in.options.onError(error)
      return {
        verdicts: push.commands.map(() => ({
          ok: false,
          reason: failureReason(error),
        })),
      }
    }
  }

  /** All refs in one transaction; if that fails and the push is not atomic, one by one. */
  async #move(
    planned: Map<RefCommand, readonly RefMove[]>,
    faults: Map<RefCommand, string>,
    atomic: boolean,
  ): Promise<void> {
    const { options, exchange } = this.#in
    const tryMove = (moves: readonly RefMove[]) => moveRefs(exchange.repo, moves, options.onError)
    const all = [...planned.values()].flat()
    const failure = all.length === 0 ? undefined : await tryMove(all)
    if (failure === undefined) return
    const pause = createPauses()
    for (const [command, moves] of planned) {
      // NOTE: a refused update does not wait.
      await pause()
      const reason = atomic || planned.size === 1 ? failure : await tryMove(moves)
      if (reason === undefined) continue
      planned.delete(command)
      faults.set(command, reason)
    }
  }

  /** NOTE: runs before the report, so that reads after the push find the index; its failure does not fail the push. */
  async #index(objects: number): Promise<void> {
    const { exchange, options } = this.#in
    try {
      await exchange.repo.indexPushed(objects)
    } catch (error) {
      options.onError(error)
    }
  }

  #results(
    faults: Map<RefCommand, string>,
    planned: Map<RefCommand, readonly RefMove[]>,
    atomic: boolean,
  ): readonly PushResult[] {
    return this.#in.request.commands.map((command) => {
      const moves = planned.get(command)
      if (moves) return { command, moves, error: undefined }
      return refusal(command, faults.get(command) ?? (atomic ? 'atomic push failure' : 'refused'))
    })
  }

  async #postReceive(results: readonly PushResult[], push: IncomingPush): Promise<void> {
    const { policy } = this.#in.exchange
    if (!policy.postReceive || results.every((result) => result.error !== undefined)) return
    try {
      for (const line of await policy.postReceive(results, push)) this.#say(`${line}\n`)
    } catch (error) {
      this.#in.options.onError(error)
    }
  }

  async #report({ unpackError, results }: Outcome): Promise<void> {
    const { capabilities } = this.#in.request
    const version = capabilities.has('report-status-v2') ? 2 : 1
    const wanted = version === 2 || capabilities.has('report-status')
    const body = wanted ? encodeReport(unpackError, results.map(refReport), version) : Buffer.alloc(0)
    if (!this.#band) return this.#in.sink(body)
    if (unpackError !== undefined) await this.#band.progress(`error: ${unpackError}\n`)
    await this.#band.data(body)
    await this.#band.end()
  }

  /** NOTE: progress lines must neither delay nor fail a push. */
  #say(text: string | Uint8Array): void {
    this.#lastSent = performance.now()
    this.#band?.progress(text).catch(() => {})
  }

  #keepAlive(): void {
    if (!this.#received || performance.now() - this.#lastSent < KEEP_ALIVE_MS) return
    this.#lastSent = performance.now()
    this.#band?.keepAlive().catch(() => {})
  }
}

/** Deleting a ref that does not exist is allowed and moves nothing. */
const ownMoves = (command: RefCommand): readonly RefMove[] => (command.oldOid === command.newOid ? [] : [command])

const refusal = (command: RefCommand, error: string): PushResult => ({ command, moves: [], error })

function refReport({ command, moves, error }: PushResult) {
  if (error !== undefined) return { ref: command.ref, error }
  const instead = moves.filter((move) => move.ref !== command.ref)
  return { ref: command.ref, moved: instead }
}

/** Memoizes the result for each key. */
function once<K extends object, V>(ask: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const cached = new WeakMap<K, Promise<V>>()
  return (key) => {
    const found = cached.get(key) ?? ask(key)
    cached.set(key, found)
    return found
  }
}

/** The client's message if the policy fails. */
function failureReason(error: unknown): string {
  if (isOutOfSpace(error)) return OUT_OF_SPACE
  return isDomainError(error, 'unavailable') ? `${error.message}, try again` : 'internal server error'
}
