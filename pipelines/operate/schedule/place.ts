/** Where scheduled commands run, and the commands. */

export interface Place {
  /** Folder of the project. */
  readonly project: string;
  readonly dataDir: string;
}

/** The hourly watch: retries missed and failed jobs, and sends alerts. */
export const WATCH = { name: 'watch', about: 'missed and failed jobs, and alerts', minute: 40 } as const;

/** Words of a make command. */
export const commandWords = ({ project, dataDir }: Place, target: string, job?: string): string[] => [
  'make',
  '--no-print-directory',
  '-C',
  project,
  target,
  ...(job === undefined ? [] : [`JOB=${job}`]),
  `DATA_DIR=${dataDir}`,
];

/** Words without characters that are special to a shell or to systemd. */
export const PLAIN_WORD = /^[\w./:=@+-]+$/u;
