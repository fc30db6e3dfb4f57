// What the address says after #: t=1.5&ui=0&theme=dark&color=state&show=points,impulses&trails=all&select=NAME&play=1
// &speed=0.5&camera=px,py,pz,tx,ty,tz. A page without controls (ui=0) is a still frame for pictures.

export interface View {
  time?: number;
  ui: boolean;
  theme?: 'light' | 'dark';
  color?: string;
  show: string[];
  trails?: string;
  select?: string;
  play: boolean;
  speed?: number;
  camera?: number[];
}

export function readHash(hash: string): View {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name: string) => {
    const value = Number(values.get(name));
    return values.has(name) && Number.isFinite(value) ? value : undefined;
  };
  const theme = values.get('theme');
  const camera = values.get('camera')?.split(',').map(Number);
  return {
    time: number('t'),
    ui: values.get('ui') !== '0',
    theme: theme === 'dark' || theme === 'light' ? theme : undefined,
    color: values.get('color') ?? undefined,
    show: values.get('show')?.split(',') ?? [],
    trails: values.get('trails') ?? undefined,
    select: values.get('select') ?? undefined,
    play: values.get('play') === '1',
    speed: number('speed'),
    camera: camera?.length === 6 && camera.every(Number.isFinite) ? camera : undefined,
  };
}
