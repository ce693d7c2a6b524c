/**
 * What the model starts from. "Measured" was measured in November 2026 on two cores that had other work, with Node 26
 * and PostgreSQL 15, by `node bench/model/measure-costs.ts`: reads of many addresses while comments are made. "Budget"
 * is `test/core/db/statements.test.ts`. Everything else is assumed, and says so.
 */
export interface RequestCost {
  readonly name: string
  /** Share of all requests; assumed. */
  readonly share: number
  /** CPU time of the server's process, ms; measured. */
  readonly node: number
  /** CPU time of git processes on the node, ms. */
  readonly git: number
  /** CPU time of PostgreSQL, ms; measured. */
  readonly database: number
  /** Statements sent to the database, including those that begin and commit; budget. */
  readonly statements: number
  /** Transactions that write. */
  readonly commits: number
  /** Operations on the shared file system: opens, reads, directory entries, attributes; assumed. */
  readonly fileOperations: number
  /** Bytes sent to clients, assumed. */
  readonly kilobytes: number
}

export const REQUESTS: readonly RequestCost[] = [
  {
    name: 'user',
    share: 0.1,
    node: 0.16,
    git: 0,
    database: 0.05,
    statements: 1,
    commits: 0,
    fileOperations: 0,
    kilobytes: 1,
  },
  {
    name: 'repository',
    share: 0.18,
    node: 0.28,
    git: 0,
    database: 0.12,
    statements: 3,
    commits: 0,
    fileOperations: 2,
    kilobytes: 4,
  },
  {
    name: 'list of issues',
    share: 0.12,
    node: 1.11,
    git: 0,
    database: 0.55,
    statements: 8,
    commits: 0,
    fileOperations: 0,
    kilobytes: 40,
  },
  {
    name: 'one issue',
    share: 0.12,
    node: 0.38,
    git: 0,
    database: 0.19,
    statements: 7,
    commits: 0,
    fileOperations: 0,
    kilobytes: 3,
  },
  {
    name: 'file, branches',
    share: 0.2,
    node: 0.29,
    git: 0,
    database: 0.09,
    statements: 2,
    commits: 0,
    fileOperations: 6,
    kilobytes: 10,
  },
  {
    name: 'commits',
    share: 0.08,
    node: 0.31,
    git: 0,
    database: 0.12,
    statements: 3,
    commits: 0,
    fileOperations: 6,
    kilobytes: 60,
  },
  {
    name: 'fetch without news',
    share: 0.15,
    node: 0.38,
    git: 0,
    database: 0.16,
    statements: 2,
    commits: 0,
    fileOperations: 6,
    kilobytes: 5,
  },
  {
    name: 'fetch, clone',
    share: 0.02,
    node: 3.08,
    git: 60,
    database: 0.5,
    statements: 2,
    commits: 0,
    fileOperations: 60,
    kilobytes: 2_000,
  },
  {
    name: 'issue or comment made',
    share: 0.03,
    node: 2.26,
    git: 0,
    database: 1.77,
    statements: 13,
    commits: 1,
    fileOperations: 0,
    kilobytes: 4,
  },
]

/** Given by its own rate. Measured one after the other with the events and jobs that follow. */
export const PUSH: RequestCost = {
  name: 'push',
  share: 0,
  node: 31,
  git: 5.5,
  database: 8,
  statements: 100,
  commits: 1,
  fileOperations: 150,
  kilobytes: 1,
}

export const AFTERWARDS = {
  /** CPU time of the process that dispatches an event and its jobs, ms; assumed. */
  eventNode: 3,
  eventDatabase: 1,
  /** Transactions of dispatcher and jobs for one event; assumed. */
  eventCommits: 2,
  /**
   * CPU time of a delivery to a webhook, ms: of the process measured (0.9 on an idle machine), of the database assumed.
   */
  deliveryNode: 2.8,
  deliveryDatabase: 0.4,
  deliveryCommits: 0.2,
  /** Webhooks that an event has on average; assumed. */
  webhooks: 0.5,
  /** Announcements to other processes for one writing transaction; assumed. Those of one turn are one NOTIFY. */
  announcements: 1.5,
} as const

/** What is bought; assumed, but for `notifies` and `commits`. */
export const MACHINES = {
  /** A node has four workers and four cores for git. */
  workers: 4,
  gitCores: 4,
  /** MB of a worker with its caches; measured idle: 108, and docs/operate/scaling.md. */
  workerMemory: 600,
  databaseCores: 16,
  databaseConnections: 500,
  /** `database.max_connections` of a node, and one session of each worker for locks and announcements. */
  poolOfNode: 20,
  /**
   * Commits a second by 16 connections with fsync, and those with a NOTIFY to 12 listeners, which PostgreSQL lets in
   * one after the other: measured by pgbench on the two busy cores above. A database server of its own does several
   * times as many.
   */
  commits: 2_200,
  notifies: 690,
  /** Operations a second of an NFS server; assumed. */
  fileOperations: 30_000,
  /** Round trips between machines, ms; assumed. */
  roundTrip: 0.3,
} as const

/** Sizes in bytes. */
export const SIZES = {
  /** Pack of a push, and of a repository on average; assumed. */
  push: 30_000,
  repository: 5_000_000,
  /** Share of pushes with large files, and their bytes; assumed. */
  largeShare: 0.02,
  large: 20_000_000,
  /** Rows and index entries that a push and its events leave; an issue or comment; assumed. */
  pushRows: 6_000,
  issueRows: 4_000,
  /** Rows and index entries of a repository and of an account; assumed. */
  repositoryRows: 6_000,
  accountRows: 8_000,
} as const

/** Mean load of a day by its busiest hour; assumed. */
export const DAY_BY_PEAK = 0.35
