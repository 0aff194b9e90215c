// Sounds made from oscillators and noise: no files. Off until the first touch, as browsers demand, and with a mute.

const storage = 'croupier.mute';
const loudness = 'croupier.volume';
const kept = (name: string) => (typeof localStorage === 'undefined' ? null : localStorage.getItem(name));

class Sound {
  muted = $state(kept(storage) === '1');
  /** From 0 to 100. */
  volume = $state(/^\d{1,2}$|^100$/.test(kept(loudness) ?? '') ? Number(kept(loudness)) : 70);
  #context: AudioContext | null = null;

  toggle(): void {
    this.muted = !this.muted;
    localStorage.setItem(storage, this.muted ? '1' : '0');
  }

  /** How loud: at 0 it is muted. */
  set(volume: number): void {
    this.volume = volume;
    localStorage.setItem(loudness, String(volume));
    if (this.muted !== (volume === 0)) this.toggle();
  }

  #ready(): AudioContext | null {
    if (this.muted || typeof AudioContext === 'undefined') return null;
    if (!navigator.userActivation?.hasBeenActive) return null;
    this.#context ??= new AudioContext();
    if (this.#context.state === 'suspended') void this.#context.resume();
    return this.#context;
  }

  #tone(frequency: number, at: number, length: number, volume: number, type: OscillatorType = 'sine'): void {
    const context = this.#ready();
    if (!context) return;
    const from = context.currentTime + at;
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    oscillator.type = type;
    oscillator.frequency.value = frequency;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime((volume * this.volume) / 70, from + 0.008);
    gain.gain.exponentialRampToValueAtTime(0.0001, from + length);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(from);
    oscillator.stop(from + length);
  }

  #noise(at: number, length: number, volume: number, frequency: number): void {
    const context = this.#ready();
    if (!context) return;
    const samples = Math.floor(context.sampleRate * length);
    const buffer = context.createBuffer(1, samples, context.sampleRate);
    const data = buffer.getChannelData(0);
    for (let i = 0; i < samples; i++) data[i] = (Math.random() * 2 - 1) * (1 - i / samples);
    const source = context.createBufferSource();
    source.buffer = buffer;
    const filter = context.createBiquadFilter();
    filter.type = 'bandpass';
    filter.frequency.value = frequency;
    const gain = context.createGain();
    gain.gain.value = (volume * this.volume) / 70;
    source.connect(filter).connect(gain).connect(context.destination);
    source.start(context.currentTime + at);
  }

  chip(): void {
    this.#tone(2100, 0, 0.05, 0.06, 'triangle');
    this.#noise(0, 0.04, 0.12, 3200);
  }
  refuse(): void {
    this.#tone(170, 0, 0.16, 0.1, 'square');
  }
  open(): void {
    this.#tone(660, 0, 0.25, 0.07);
    this.#tone(990, 0.12, 0.35, 0.06);
  }
  close(): void {
    this.#tone(520, 0, 0.18, 0.09);
    this.#tone(390, 0.16, 0.4, 0.09);
  }
  tick(): void {
    this.#tone(1300, 0, 0.04, 0.04, 'square');
  }
  rattle(): void {
    for (let i = 0; i < 12; i++)
      this.#noise(i * 0.11 + Math.random() * 0.05, 0.06, 0.14, 1400 + Math.random() * 1600);
  }
  /** Something for the staff; `grave`: twice. */
  alert(grave: boolean): void {
    for (const at of grave ? [0, 0.45] : [0]) {
      this.#tone(880, at, 0.16, 0.09);
      this.#tone(1175, at + 0.16, 0.22, 0.09);
    }
  }
  win(): void {
    [523, 659, 784, 1047].forEach((note, index) => {
      this.#tone(note, index * 0.11, 0.5, 0.08, 'triangle');
    });
  }
}

export const sound = new Sound();
