/*
 * packed_setting.c
 *		Writing and reading a setting whose arrays are found by their distance from its beginning.
 *
 * NOTES
 *		Processes map shared memory, and our library, at addresses of their own: so
 *		there are no pointers, and kinds of conditions go by their numbers.
 */
#include "postgres.h"

#include "release/crew/packed_setting.h"

/* A distance of 0 stands for NULL. */
typedef struct PackedDomain
{
	Code		size;
	Code		null_code;
	double		source_width;
	Size		position;		/* of a line */
	uint32		nnodes;			/* of a tree */
	Size		nodes;
	Size		leaf;
} PackedDomain;

typedef struct PackedAspect
{
	Code		ncodes;
	Size		code;
	Size		place;
} PackedAspect;

typedef struct PackedSetting
{
	uint32		nrecords;
	int			nqis;
	Code		nsensitive;
	Principle	principle;		/* without what is bound to values */
	int			kind[NPRINCIPLES];	/* of its terms */
	Size		domains;
	Size		weight;
	bool		has_aspects;
	int			naspects;
	Code		nvalues;
	Size		aspects;
	Size		share;
	Size		since;
} PackedSetting;

/* Where the next array goes; without a room it is only measured. */
typedef struct Packer
{
	char	   *room;
	Size		used;
} Packer;

/* Writes an array, which may be NULL; returns its distance. */
static Size
put(Packer *packer, const void *array, Size bytes)
{
	Size		at = packer->used;

	if (array == NULL)
		return 0;
	packer->used += MAXALIGN(bytes);
	if (packer->room != NULL)
		memcpy(packer->room + at, array, bytes);
	return at;
}

static void *
array_at(char *packed, Size at)
{
	return at == 0 ? NULL : packed + at;
}

/* Writes the domains; cells are looked up, so that neither frequencies nor the ends of bins are needed. */
static Size
put_domains(Packer *packer, const Frame *frame)
{
	PackedDomain *packed = palloc0(sizeof(PackedDomain) * (frame->nqis + 1));

	for (int q = 0; q < frame->nqis; q++)
	{
		const Domain *domain = &frame->domain[q];
		const Tree *tree = domain->tree;

		packed[q] = (PackedDomain) {.size = domain->size, .null_code = domain->null_code, .source_width = domain->source_width};
		packed[q].position = put(packer, domain->position, sizeof(double) * domain_values(domain));
		if (tree == NULL)
			continue;
		packed[q].nnodes = tree->nnodes;
		packed[q].nodes = put(packer, tree->nodes, sizeof(TreeNode) * tree->nnodes);
		packed[q].leaf = put(packer, tree->leaf, sizeof(uint32) * domain->size);
	}
	return put(packer, packed, sizeof(PackedDomain) * frame->nqis);
}

/* Values that only the distribution has are known to its own arrays, too. */
static void
put_aspects(Packer *packer, const Frame *frame, PackedSetting *header)
{
	const Aspects *aspects = frame->aspects;
	PackedAspect *packed;
	Size		nvalues;

	header->has_aspects = aspects != NULL;
	if (aspects == NULL)
		return;
	nvalues = Max(frame->nsensitive, aspects->nvalues);
	packed = palloc0(sizeof(PackedAspect) * aspects->n);
	for (int a = 0; a < aspects->n; a++)
	{
		packed[a].ncodes = aspects->aspect[a].ncodes;
		packed[a].code = put(packer, aspects->aspect[a].code, sizeof(Code) * nvalues);
		packed[a].place = put(packer, aspects->aspect[a].place, sizeof(double) * aspects->aspect[a].ncodes);
	}
	header->naspects = aspects->n;
	header->nvalues = aspects->nvalues;
	header->aspects = put(packer, packed, sizeof(PackedAspect) * aspects->n);
	header->share = put(packer, aspects->share, sizeof(double) * nvalues);
	header->since = put(packer, aspects->since, sizeof(int32) * nvalues);
}

Size
setting_pack(const PortionSetting *setting, char *room)
{
	const Frame *frame = &setting->frame;
	Packer		packer = {room, MAXALIGN(sizeof(PackedSetting))};
	PackedSetting header = {
		.nrecords = setting->nrecords, .nqis = frame->nqis, .nsensitive = frame->nsensitive,
		.principle = setting->principle
	};

	for (int i = 0; i < setting->principle.nterms; i++)
		header.kind[i] = principle_kind_number(setting->principle.term[i].kind);
	header.domains = put_domains(&packer, frame);
	header.weight = put(&packer, frame->weight, sizeof(double) * frame->nqis);
	put_aspects(&packer, frame, &header);
	if (room != NULL)
		memcpy(room, &header, sizeof(header));
	return packer.used;
}

/* Makes a domain of a packed one, whose arrays stay where they are. */
static void
get_domain(Domain *domain, char *packed, const PackedDomain *from)
{
	*domain = (Domain) {
		.size = from->size, .null_code = from->null_code, .source_width = from->source_width,
		.position = array_at(packed, from->position)
	};
	if (from->nodes != 0)
	{
		Tree	   *tree = palloc(sizeof(Tree));

		*tree = (Tree) {from->nnodes, array_at(packed, from->nodes), array_at(packed, from->leaf)};
		domain->tree = tree;
	}
}

/* Likewise of aspects, whose names nobody needs. */
static const Aspects *
get_aspects(char *packed)
{
	const PackedSetting *header = (const PackedSetting *) packed;
	const PackedAspect *from = array_at(packed, header->aspects);
	Aspects    *aspects = palloc(sizeof(Aspects));
	Aspect	   *aspect = palloc0(sizeof(Aspect) * header->naspects);

	for (int a = 0; a < header->naspects; a++)
		aspect[a] = (Aspect) {"", from[a].ncodes, array_at(packed, from[a].code), array_at(packed, from[a].place)};
	*aspects = (Aspects) {
		.n = header->naspects, .nvalues = header->nvalues, .aspect = aspect,
		.share = array_at(packed, header->share), .since = array_at(packed, header->since)
	};
	return aspects;
}

PortionSetting *
setting_unpack(char *packed)
{
	const PackedSetting *header = (const PackedSetting *) packed;
	const PackedDomain *domains = array_at(packed, header->domains);
	PortionSetting *setting = palloc0(sizeof(PortionSetting));
	Principle	principle = header->principle;

	setting->nrecords = header->nrecords;
	setting->frame.nqis = header->nqis;
	setting->frame.nsensitive = header->nsensitive;
	setting->frame.weight = array_at(packed, header->weight);
	setting->frame.domain = palloc0(sizeof(Domain) * (header->nqis + 1));
	for (int q = 0; q < header->nqis; q++)
		get_domain(&setting->frame.domain[q], packed, &domains[q]);
	if (header->has_aspects)
		setting->frame.aspects = get_aspects(packed);
	for (int i = 0; i < principle.nterms; i++)
		principle.term[i].kind = principle_kind(header->kind[i]);
	setting->principle = principle_bound(&principle, header->nsensitive, setting->frame.aspects);
	return setting;
}
