import type { Static, TObject } from '@sinclair/typebox'

/**
 * Every kind of background job with the type of its payload. Each module adds its own kinds by declaration merging in
 * its `*.jobs.ts`, next to the schemas and handlers.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended by the modules
export interface JobCatalog {}

export type JobKind = keyof JobCatalog
export type JobPayload<Kind extends JobKind> = JobCatalog[Kind]

/**
 * Runs one job; it may run again after a crash, so its effect must be the same twice. `signal` aborts it at shutdown.
 */
export type JobHandler<Payload> = (payload: Payload, signal: AbortSignal) => Promise<void>

/** A kind of job as its module declares it. */
export interface JobDefinition<Schema extends TObject = TObject> {
  readonly payload: Schema
  /**
   * Kinds that wait for other servers run in a concurrency group of their own, so that they do not delay others; the
   * default is `main`.
   */
  readonly group: string
  readonly handler: JobHandler<Static<Schema>>
  /**
   * Runs once after the last attempt has failed and the job was marked as dead. A process that ends then skips it.
   */
  readonly onDead?: ((payload: Static<Schema>, error: unknown) => Promise<void>) | undefined
}

export type JobDefinitions = { readonly [Kind in JobKind]?: JobDefinition }

/** The payload types of a set of schemas, for the extension of `JobCatalog`. */
export type JobPayloadsOf<Schemas extends Readonly<Record<string, TObject>>> = {
  readonly [Kind in keyof Schemas]: Static<Schemas[Kind]>
}

/** Declares a job: its payload and its handler. */
export function defineJob<Schema extends TObject>(
  payload: Schema,
  handler: JobHandler<Static<Schema>>,
  { group = 'main', onDead }: Partial<Pick<JobDefinition<Schema>, 'group' | 'onDead'>> = {},
): JobDefinition {
  return { payload, group, handler, onDead } as unknown as JobDefinition
}
