// SPDX-License-Identifier: Apache-2.0

// Peer_lattigo times CKKS of Lattigo on one thread: the operations and sets of ckks_bench, under its names,
// each checked before it is timed, and bootstraps of Lattigo's own sets.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"time"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/lintrans"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

type set struct {
	logN, scale, lowest, depth int
	special                    []int
}

func repeat(bits, count int) (sizes []int) {
	for ; count > 0; count-- {
		sizes = append(sizes, bits)
	}
	return
}

// The presets of nttforge: the same rings, scales and depths. Special primes are those that the table of
// security leaves room for, as many as make Lattigo's product fastest.
var sets = []set{
	{13, 36, 46, 3, []int{50}},
	{14, 40, 50, 7, repeat(49, 2)},
	{15, 40, 55, 16, repeat(57, 3)},
	{16, 40, 60, 33, repeat(60, 6)},
}

type report struct {
	Schema  string           `json:"schema"`
	Program string           `json:"program"`
	Version string           `json:"version"`
	Go      string           `json:"go"`
	Results []map[string]any `json:"results"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

var leastRuns = flag.Int("runs", 3, "timed calls of each operation at least")

// measure gives the least and the median time of calls that take the seconds given, leastRuns at least. warm: body
// has just been called.
func measure(seconds float64, warm bool, body func()) (least, median float64, runs int) {
	if !warm {
		body()
	}
	var times []float64
	for begun := time.Now(); len(times) < *leastRuns || time.Since(begun).Seconds() < seconds; {
		start := time.Now()
		body()
		times = append(times, float64(time.Since(start).Nanoseconds()))
	}
	sort.Float64s(times)
	return times[0], times[len(times)/2], len(times)
}

func (r *report) time(row map[string]any, operation string, seconds float64, body func()) {
	r.timeWarm(row, operation, seconds, false, body)
}

func (r *report) timeWarm(row map[string]any, operation string, seconds float64, warm bool, body func()) {
	least, median, runs := measure(seconds, warm, body)
	fmt.Printf("lattigo    n = 2^%v  %-34s %12.1f us  (median %.1f)\n", math.Log2(float64(row["n"].(int))),
		operation, least/1e3, median/1e3)
	result := map[string]any{"kind": "ckks", "library": "lattigo", "threads": 1, "operation": operation,
		"min_ns": least, "median_ns": median, "runs": runs}
	for name, value := range row {
		result[name] = value
	}
	r.Results = append(r.Results, result)
}

// message is that of bench/ckks_message.hpp.
func message(slots int) []complex128 {
	values := make([]complex128, slots)
	for i := range values {
		values[i] = complex(float64(i%17)/17-0.5, float64(i%5)/5-0.4)
	}
	return values
}

func requireClose(found, expected []complex128, what string) {
	for i := range expected {
		if !(cmplx.Abs(found[i]-expected[i]) < 1e-4) {
			panic("lattigo: wrong result of " + what)
		}
	}
}

func leveled(r *report, s set, seconds float64) {
	logQ := append([]int{s.lowest}, repeat(s.scale, s.depth)...)
	params := must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{LogN: s.logN, LogQ: logQ,
		LogP: s.special, LogDefaultScale: s.scale}))
	row := map[string]any{"n": 1 << s.logN, "scale_bits": s.scale, "depth": s.depth,
		"log2_qp": params.LogQP(), "special_primes": len(s.special)}
	generator := rlwe.NewKeyGenerator(params)
	secret, public := generator.GenKeyPairNew()
	encoder, decryptor := ckks.NewEncoder(params), rlwe.NewDecryptor(params, secret)
	encryptor := rlwe.NewEncryptor(params, public)

	// The same matrix as ckks_bench's, 128 diagonals of 1/128, on messages of 128 slots.
	diagonals := make(lintrans.Diagonals[complex128])
	for d := 0; d < 128; d++ {
		diagonals[d] = make([]complex128, 128)
		for i := range diagonals[d] {
			diagonals[d][i] = 1.0 / 128
		}
	}
	matrix := lintrans.Parameters{DiagonalsIndexList: diagonals.DiagonalsIndexList(), LevelQ: params.MaxLevel(),
		LevelP: params.MaxLevelP(), Scale: rlwe.NewScale(params.Q()[params.MaxLevel()]),
		LogDimensions: ring.Dimensions{Rows: 0, Cols: 7}}
	transformation := lintrans.NewTransformation(params, matrix)
	if err := lintrans.Encode(encoder, diagonals, transformation); err != nil {
		panic(err)
	}
	elements := transformation.GaloisElements(params)
	for step := 1; step <= 8; step++ {
		elements = append(elements, params.GaloisElement(step))
	}
	keys := rlwe.NewMemEvaluationKeySet(generator.GenRelinearizationKeyNew(secret),
		generator.GenGaloisKeysNew(elements, secret)...)
	evaluator := ckks.NewEvaluator(params, keys)
	transformer := lintrans.NewEvaluator(evaluator)

	a := message(params.MaxSlots())
	plain := ckks.NewPlaintext(params, params.MaxLevel())
	encode := func() {
		if err := encoder.Encode(a, plain); err != nil {
			panic(err)
		}
	}
	encode()
	x := must(encryptor.EncryptNew(plain))
	decode := func(ciphertext *rlwe.Ciphertext, slots int) []complex128 {
		values := make([]complex128, slots)
		if err := encoder.Decode(decryptor.DecryptNew(ciphertext), values); err != nil {
			panic(err)
		}
		return values
	}
	product, rotated := ckks.NewCiphertext(params, 1, params.MaxLevel()), ckks.NewCiphertext(params, 1, params.MaxLevel())
	lower := ckks.NewCiphertext(params, 1, params.MaxLevel()-1)
	multiply := func() {
		if err := evaluator.MulRelin(x, x, product); err != nil {
			panic(err)
		}
		if err := evaluator.Rescale(product, lower); err != nil {
			panic(err)
		}
	}
	multiply()
	square, turned := make([]complex128, len(a)), make([]complex128, len(a))
	for i := range a {
		square[i], turned[i] = a[i]*a[i], a[(i+1)%len(a)]
	}
	requireClose(decode(lower, len(a)), square, "a product")
	rotate := func() {
		if err := evaluator.Rotate(x, 1, rotated); err != nil {
			panic(err)
		}
	}
	rotate()
	requireClose(decode(rotated, len(a)), turned, "a rotation")
	low := x.CopyNew()
	evaluator.DropLevel(low, params.MaxLevel())
	steps := []int{1, 2, 3, 4, 5, 6, 7, 8}
	small := ckks.NewPlaintext(params, params.MaxLevel())
	small.LogDimensions = ring.Dimensions{Rows: 0, Cols: 7}
	if err := encoder.Encode(message(128), small); err != nil {
		panic(err)
	}
	vector := must(encryptor.EncryptNew(small))

	r.time(row, "encode", seconds, encode)
	r.time(row, "encrypt (public key)", seconds, func() { must(encryptor.EncryptNew(plain)) })
	r.time(row, "decrypt and decode, lowest level", seconds, func() { decode(low, len(a)) })
	r.time(row, "multiply, relinearize, rescale", seconds, multiply)
	r.time(row, "rotate", seconds, rotate)
	r.time(row, "8 rotations, hoisted", seconds, func() { must(evaluator.RotateHoistedNew(x, steps)) })
	transformed := must(transformer.EvaluateNew(vector, transformation))
	if err := evaluator.Rescale(transformed, transformed); err != nil {
		panic(err)
	}
	var mean complex128
	for _, value := range message(128) {
		mean += value / 128
	}
	requireClose(decode(transformed, 128)[:1], []complex128{mean}, "a matrix")
	r.time(row, "matrix 128 x 128", seconds, func() {
		found := must(transformer.EvaluateNew(vector, transformation))
		if err := evaluator.Rescale(found, found); err != nil {
			panic(err)
		}
	})
	if s.depth < 5 {
		return
	}
	coefficients := make([]float64, 32)
	value, before, now := 0.0, 1.0, 0.4
	for k := range coefficients {
		coefficients[k] = 1 / float64(1+k*k)
		value += coefficients[k] * before
		before, now = now, 2*0.4*now-before
	}
	polynomials := polynomial.NewEvaluator(params, evaluator)
	series := bignum.NewPolynomial(bignum.Chebyshev, coefficients, [2]float64{-1, 1})
	constant := make([]complex128, params.MaxSlots())
	for i := range constant {
		constant[i] = 0.4
	}
	if err := encoder.Encode(constant, plain); err != nil {
		panic(err)
	}
	real := must(encryptor.EncryptNew(plain))
	evaluate := func() *rlwe.Ciphertext {
		return must(polynomials.Evaluate(real, series, params.DefaultScale()))
	}
	requireClose(decode(evaluate(), 1), []complex128{complex(value, 0)}, "a polynomial")
	r.time(row, "Chebyshev polynomial of degree 31", seconds, func() { evaluate() })
}

func bootstrap(r *report, name string, residual ckks.ParametersLiteral, literal bootstrapping.ParametersLiteral,
	seconds float64) {
	params := must(ckks.NewParametersFromLiteral(residual))
	chosen := must(bootstrapping.NewParametersFromLiteral(params, literal))
	generator := rlwe.NewKeyGenerator(params)
	secret := generator.GenSecretKeyNew()
	keys, _, err := chosen.GenEvaluationKeys(secret)
	if err != nil {
		panic(err)
	}
	evaluator := must(bootstrapping.NewEvaluator(chosen, keys))
	encoder := ckks.NewEncoder(params)
	encryptor, decryptor := rlwe.NewEncryptor(params, secret), rlwe.NewDecryptor(params, secret)
	random := rand.New(rand.NewSource(1))
	a := make([]complex128, params.MaxSlots())
	for i := range a {
		a[i] = complex(2*random.Float64()-1, 2*random.Float64()-1)
	}
	plain := ckks.NewPlaintext(params, 0)
	if err := encoder.Encode(a, plain); err != nil {
		panic(err)
	}
	x := must(encryptor.EncryptNew(plain))
	fresh := must(evaluator.Bootstrap(x.CopyNew()))
	found := make([]complex128, len(a))
	if err := encoder.Decode(decryptor.DecryptNew(fresh), found); err != nil {
		panic(err)
	}
	sum, worst := 0.0, 0.0
	for i := range a {
		for _, part := range []float64{real(found[i] - a[i]), imag(found[i] - a[i])} {
			sum += math.Abs(part)
			worst = math.Max(worst, math.Abs(part))
		}
	}
	if !(worst < 1e-2) {
		panic("lattigo: wrong result of a bootstrap")
	}
	between := 0.0
	for _, q := range params.Q()[1 : fresh.Level()+1] {
		between += math.Log2(float64(q))
	}
	row := map[string]any{"n": params.N(), "set": name, "log2_qp": chosen.BootstrappingParameters.LogQP(),
		"modulus_bits_between": between, "worst_bits": -math.Log2(worst),
		"mean_bits":   -math.Log2(sum / float64(2*len(a))),
		"levels_left": fresh.Level(), "key_gigabytes": float64(keys.BinarySize()) / 1e9}
	fmt.Println(row)
	r.timeWarm(row, "bootstrap", seconds, true, func() { must(evaluator.Bootstrap(x.CopyNew())) })
}

func main() {
	only := flag.Int("only", 0, "sets of this n only (0: all, 1: none)")
	seconds := flag.Float64("seconds", 0.5, "time for each operation")
	boot := flag.Bool("bootstrap", false, "Lattigo's dense set with scale 2^40, one level shorter for 128 bits")
	file := flag.String("json", "", "file for the results")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	version := "unknown"
	if info, found := debug.ReadBuildInfo(); found {
		for _, dependency := range info.Deps {
			if dependency.Path == "github.com/tuneinsight/lattigo/v6" {
				version = dependency.Version
			}
		}
	}
	r := &report{Schema: "nttforge-bench-1", Program: "lattigo", Version: version, Go: runtime.Version()}
	for _, s := range sets {
		if *only == 0 || *only == 1<<s.logN {
			leveled(r, s, *seconds)
		}
	}
	if *boot {
		set := bootstrapping.N16QP1767H32768H32
		residual := set.SchemeParams
		// One level of 40 bits less: 1,727 of the 1,747 bits that the 2024 guidelines allow.
		residual.LogQ = residual.LogQ[:len(residual.LogQ)-1]
		bootstrap(r, "N16QP1767H32768H32 less one level", residual, set.BootstrappingParams, *seconds)
	}
	if *file != "" {
		text := must(json.MarshalIndent(r, "", " "))
		if err := os.WriteFile(*file, append(text, '\n'), 0o644); err != nil {
			panic(err)
		}
	}
}
